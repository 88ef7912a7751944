#!/bin/sh
# print.sh FILE ...: prints a file. Stands in for a bits whose output was caught earlier.
cat "$1"
