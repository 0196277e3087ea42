"""Sphinx's settings for the site that build.py makes. The sources are the repository's Markdown pages
as they stand, so links between them, and from them to sources and results, work in both."""

import os
import re

project = 'mgws'
copyright = 'the authors of mgws'  # noqa: A001
version = release = os.environ.get('MGWS_VERSION', '')

extensions = ['myst_parser', 'breathe']
root_doc = 'docs/index'
include_patterns = ['*.md', 'docs/*.md', 'core/*.md', 'bench/results/*.md']
# Not walked through: what is built, and what has no pages.
exclude_patterns = ['build*', '.*', 'backends', 'examples', 'include', 'runtime', 'tests', 'tools',
                    'transports', 'bench/[!r]*', 'bench/runs', 'docs/plots', 'docs/site']

# Headings can be linked to, by the names that other readers of Markdown give them.
myst_heading_anchors = 4
suppress_warnings = ['myst.header']

breathe_projects = {'mgws': os.environ.get('MGWS_DOXYGEN', '')}
breathe_default_project = 'mgws'
primary_domain = 'cpp'
highlight_language = 'none'

html_theme = 'alabaster'
html_theme_options = {'page_width': '1100px', 'sidebar_width': '240px', 'fixed_sidebar': True,
                      'font_size': '16px', 'show_powered_by': False}
html_sidebars = {'**': ['about.html', 'searchbox.html', 'navigation.html']}
html_extra_path = ['root']
html_copy_source = False
html_show_copyright = False


def navigation(_app, name, source):
    """The lists of the front page are the site's navigation: a section there is one here."""
    if name != root_doc:
        return
    for section in re.split(r'^## ', source[0], flags=re.M)[1:]:
        pages = re.findall(r'^- \[([^\]]+)\]\(([^)#]+)\.md\)', section, flags=re.M)
        entries = ''.join(f'{title} <{page}>\n' for title, page in pages)
        source[0] += f'\n```{{toctree}}\n:hidden:\n:caption: {section.splitlines()[0]}\n\n{entries}```\n'


def setup(app):
    app.connect('source-read', navigation)
