import sys

from .cli import main

sys.stdout.reconfigure(errors="backslashreplace")  # a path may hold bytes that are not UTF-8
sys.exit(main(sys.argv[1:]))
