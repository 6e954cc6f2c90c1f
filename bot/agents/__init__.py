"""Who does the thinking: engines that draft, and code that checks what they cite."""
