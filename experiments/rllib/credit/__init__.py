"""What has earned a role's reward. In a folder of its own: kernels are compiled anew when a file beside them changes."""
