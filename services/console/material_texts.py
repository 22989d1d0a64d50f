"""The words of the pages of materials in both languages."""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Mapping

from vta.types import Language

_ZH = {
    "upload_help": "支持 Markdown、字幕（SRT、VTT）、纯文本、HTML、PDF、DOCX、PPTX 和问答表格（CSV、XLSX、JSONL），也可以打包成 ZIP，其中的文件夹会保留。一次最多 {most} 个文件、共 {mb} MB。会被替换的文件将先列出，由您确认。",
    "upload_drop": "也可以把文件或文件夹拖到这里。",
    "upload_sending": "正在上传 {count} 个文件…",
    "upload_too_many": "选了 {count} 个文件，一次最多上传 {most} 个。",
    "upload_too_large": "这些文件共 {mb} MB，一次最多上传 {most} MB。",
    "upload_not_sent": "上传失败，请检查网络后重试。",
    "plan": "请确认这次上传",
    "plan_help": "目前还没有任何改动。",
    "plan_replaced": "将替换现有的文件",
    "plan_replaces": "替换 {moment} 读取的版本（{passages} 个段落）",
    "plan_new": "新增的文件",
    "plan_unchanged": "内容相同、不再读取的文件",
    "plan_missing": "课程中有、这次没有上传的文件",
    "plan_missing_help": "它们在同名文件夹中，但不在这次上传的文件里。",
    "plan_remove_missing": "同时移除这 {count} 个文件，以上传的文件夹替换原来的文件夹",
    "plan_refused": "无法读取的文件",
    "plan_do": "读取这些文件",
    "plan_drop": "放弃上传",
    "passed_over": "跳过的其他类型的文件",
    "outcome": "结果",
    "outcome_new": "已读取",
    "outcome_replaced": "已替换",
    "outcome_unchanged": "未变化",
    "outcome_removed": "已移除",
    "outcome_refused": "未读取",
    "problems": "问题",
    "ingest_counts": "新读取 {new} 个，替换 {replaced} 个，未变化 {unchanged} 个，移除 {removed} 个，未读取 {refused} 个",
}
_EN = {
    "upload_help": "Markdown, subtitles (SRT, VTT), plain text, HTML, PDF, DOCX, PPTX, and FAQ tables (CSV, XLSX, JSONL), also as a ZIP, which keeps its folders. At most {most} files and {mb} MB at a time. Files that would be replaced are listed first, for you to confirm.",
    "upload_drop": "You can also drag files or folders here.",
    "upload_sending": "Sending {count} files…",
    "upload_too_many": "{count} files are too many; at most {most} can be uploaded at a time.",
    "upload_too_large": "These files have {mb} MB; at most {most} MB can be uploaded at a time.",
    "upload_not_sent": "The upload failed. Check your connection and try again.",
    "plan": "Please confirm this upload",
    "plan_help": "Nothing has changed yet.",
    "plan_replaced": "Files that will be replaced",
    "plan_replaces": "replaces what was read {moment} ({passages} passages)",
    "plan_new": "New files",
    "plan_unchanged": "Files that are the same and stay as they are",
    "plan_missing": "Files of the course that were not uploaded",
    "plan_missing_help": "They stand in the folder of the same name, but are not among the files you uploaded.",
    "plan_remove_missing": "Remove these {count} too, so that the uploaded folder takes the place of the old one",
    "plan_refused": "Files that cannot be read",
    "plan_do": "Read these files",
    "plan_drop": "Cancel",
    "passed_over": "Files of other kinds that were passed over",
    "outcome": "Result",
    "outcome_new": "read",
    "outcome_replaced": "replaced",
    "outcome_unchanged": "unchanged",
    "outcome_removed": "removed",
    "outcome_refused": "not read",
    "problems": "Problems",
    "ingest_counts": "{new} new, {replaced} replaced, {unchanged} unchanged, {removed} removed, {refused} not read",
}

MATERIAL_TEXTS: Mapping[Language, Mapping[str, str]] = {Language.ZH: _ZH, Language.EN: _EN}
