"""Who decides: scripted, learned and language-model agents behind one protocol."""
