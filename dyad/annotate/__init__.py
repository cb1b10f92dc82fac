"""Labels by people: which questions they are asked, the local page that asks, and where their answers go."""
