"""The engines of words that come with dyad, a file or folder each; `dyad.registry` names them."""
