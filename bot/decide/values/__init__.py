"""Values: definitions of names in code and documents, and the one that a question asks for."""
