"""What each SKU has added to a role's reward."""
