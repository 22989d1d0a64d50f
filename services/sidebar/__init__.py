"""The student's sidebar: a web component, and the sample course page around it."""

from services.rendering.lectures import Cue, Video
from services.sidebar.pages import CourseLink, render_course_page, static_files, static_folder

__all__ = ["CourseLink", "Cue", "Video", "render_course_page", "static_files", "static_folder"]
