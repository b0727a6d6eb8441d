"""Markdown as HTML."""

import re
from html import escape


def render_markdown(text):
    """Everything else is escaped, and links may only lead to web and mail addresses."""
    pattern = r"(?m)^```[\s\S]*?^```|(?:^(?!```).*\S.*\n?)+"
    blocks = re.findall(pattern, text.replace("\r", ""))
    return "\n".join(render_block(block.rstrip()) for block in blocks)


def render_block(block):
    lines = block.split("\n")
    if block.startswith("```"):
        code = "\n".join(lines[1:-1])
        return f"<pre><code>{escape(code)}</code></pre>"
    heading = re.fullmatch(r"(#{1,6}) +(.+)", block)
    if heading:
        level = len(heading[1])
        return f"<h{level}>{render_inline(heading[2])}</h{level}>"
    if all(re.match(r"[-*] ", line) for line in lines):
        return render_list("ul", lines)
    if all(re.match(r"\d+\. ", line) for line in lines):
        return render_list("ol", lines)
    if all(line.startswith(">") for line in lines):
        quote = "\n".join(line[1:].strip() for line in lines)
        return f"<blockquote>{render_inline(quote)}</blockquote>"
    return f"<p>{render_inline(block)}</p>"


def render_list(tag, lines):
    items = (line.split(" ", 1)[1] for line in lines)
    return f"<{tag}>{''.join(f'<li>{render_inline(item)}</li>' for item in items)}</{tag}>"


def render_inline(text):
    """Takes code out first, because nothing in it is Markdown."""
    parts = re.split(r"`([^`]+)`", text)
    parts[0::2] = [render_words(part) for part in parts[0::2]]
    parts[1::2] = [f"<code>{escape(part)}</code>" for part in parts[1::2]]
    return "".join(parts)


def render_words(text):
    text = escape(text)
    text = re.sub(r"\[([^\]]+)\]\(((?:https?://|mailto:)[^)\s]+)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
