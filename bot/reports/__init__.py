"""Reports: figures from journals and exports, as text, pages and Slack messages."""
