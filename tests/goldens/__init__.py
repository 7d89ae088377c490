"""Golden runs: what command lines gave when their records were written, held byte for byte."""
