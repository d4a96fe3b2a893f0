"""The command line: options, words and tables. What happens is decided in the packages below."""
