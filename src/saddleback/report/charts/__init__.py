"""Charts as SVG of our own, one kind per file. Texts are escaped, colors are classes of the style sheet."""
