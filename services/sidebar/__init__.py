"""The student's sidebar: a web component, and the sample course page around it."""

from services.sidebar.pages import Cue, LanguageLink, Video, render_course_page, static_folder

__all__ = ["Cue", "LanguageLink", "Video", "render_course_page", "static_folder"]
