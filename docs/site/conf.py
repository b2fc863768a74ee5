"""Sphinx's settings of the site, which make_site.py builds."""

project = "NDT comparison suite"
html_title = project
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.githubpages"]
myst_heading_anchors = 6

html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # would fetch the pages found, which file:// forbids
html_use_index = False
html_theme_options = {"top_of_page_buttons": []}
