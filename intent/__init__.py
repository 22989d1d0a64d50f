"""Intent: is this chit-chat, and if not, what kind of question is it?"""
