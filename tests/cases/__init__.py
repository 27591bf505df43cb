"""Cases from the field: small inputs with the right answer. `python -m tests.cases` runs any file of that form."""
