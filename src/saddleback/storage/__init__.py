"""Files: safetensors with texts in the header, checked before they are believed."""
