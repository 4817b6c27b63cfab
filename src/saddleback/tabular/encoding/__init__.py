"""How columns become numbers: rules learned from one table and applied to others."""
