"""What people see of a run: lines on a console, a page, charts."""
