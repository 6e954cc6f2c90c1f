"""Programs of the settings in the folder of a project or a workspace: declared commands, and checks of projects."""
