import sys

from .cli import main
from .ending import leave_nothing_behind

leave_nothing_behind()
sys.stdout.reconfigure(errors="backslashreplace")  # a path may hold bytes that are not UTF-8
sys.exit(main(sys.argv[1:]))
