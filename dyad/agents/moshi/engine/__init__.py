"""The torch engine of the Moshi family: rows, codec, weights. Imported only when such an agent is loaded."""
