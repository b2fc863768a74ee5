"""The files of a report: page, tables, figures, terminal lines, and the folder that is published."""
