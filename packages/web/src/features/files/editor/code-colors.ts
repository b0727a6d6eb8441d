import { HighlightStyle } from "@codemirror/language"
import { tags } from "@lezer/highlight"

/** Just a few colours: for keywords, values and comments. Shared by the editor and diffs. */
export const codeColors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: "text-info" },
  { tag: [tags.tagName, tags.definitionKeyword, tags.moduleKeyword], class: "text-info" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], class: "text-ok" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], class: "text-accent" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.self], class: "text-accent" },
  { tag: [tags.propertyName, tags.attributeName, tags.labelName], class: "text-ink-2" },
  {
    tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.propertyName)],
    class: "font-semibold",
  },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], class: "text-ink-3 italic" },
  { tag: [tags.punctuation, tags.bracket, tags.separator], class: "text-ink-2" },
  { tag: [tags.heading, tags.strong], class: "font-semibold" },
  { tag: tags.emphasis, class: "italic" },
  { tag: [tags.link, tags.url], class: "text-accent underline" },
  { tag: tags.invalid, class: "text-err" },
])
