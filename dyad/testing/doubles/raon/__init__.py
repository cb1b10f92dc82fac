"""Put first on a worker's path, this folder stands in for the package `raon` of Raon-SpeechChat."""
