"""Lychee-FD: windows of 400 ms, text and speech tokens side by side, a vocoder behind them."""
