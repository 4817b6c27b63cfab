"""Columns of CSV and Parquet files as numbers."""
