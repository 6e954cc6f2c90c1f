"""Values: definitions of names in code and documents, and selection of the one that a question asks for."""
