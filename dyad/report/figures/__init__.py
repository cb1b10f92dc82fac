"""Figures as inline SVG and tinted tables. Colours are CSS classes, so that both colour schemes fit."""
