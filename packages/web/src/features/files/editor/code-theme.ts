import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { EditorView } from "@codemirror/view"
import { tags } from "@lezer/highlight"

/** Uses the page's colour tokens, so that changing the theme doesn't require a new editor. */
const chrome = EditorView.theme({
  "&": { height: "100%", color: "var(--color-ink)", backgroundColor: "var(--color-sheet)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono, 'Atkinson Hyperlegible Mono'), ui-monospace, monospace",
    lineHeight: "1.55",
  },
  ".cm-content": { padding: "8px 0 40vh", caretColor: "var(--color-accent)" },
  ".cm-line": { padding: "0 16px 0 8px" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--color-accent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-content ::selection":
    { backgroundColor: "var(--color-accent-bg)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--color-well) 55%, transparent)" },
  ".cm-gutters": { color: "var(--color-ink-3)", backgroundColor: "var(--color-sheet)", border: "none" },
  ".cm-activeLineGutter": {
    color: "var(--color-ink)",
    backgroundColor: "color-mix(in srgb, var(--color-well) 55%, transparent)",
  },
  ".cm-lineNumbers .cm-gutterElement": {
    padding: "0 6px 0 14px",
    minWidth: "40px",
    fontVariantNumeric: "tabular-nums",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--color-strong)",
  },
  ".cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--color-err-bg)" },
  ".cm-selectionMatch": { backgroundColor: "var(--color-well)", outline: "1px solid var(--color-line)" },
  ".cm-searchMatch": { backgroundColor: "var(--color-accent-bg)", outline: "1px solid var(--color-accent)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--color-accent)", color: "var(--color-sheet)" },
  ".cm-specialChar": { color: "var(--color-err)" },
  ".cm-panels": { color: "var(--color-ink)", backgroundColor: "var(--color-paper)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--color-line)" },
})

/** Just a few colours: for keywords, values and comments. */
const letters = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--color-info)" },
  { tag: [tags.tagName, tags.definitionKeyword, tags.moduleKeyword], color: "var(--color-info)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: "var(--color-ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], color: "var(--color-accent)" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.self], color: "var(--color-accent)" },
  { tag: [tags.propertyName, tags.attributeName, tags.labelName], color: "var(--color-ink-2)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.propertyName)], fontWeight: "600" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--color-ink-3)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.bracket, tags.separator], color: "var(--color-ink-2)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--color-accent)", textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--color-err)" },
])

export const codeTheme = [chrome, syntaxHighlighting(letters)]
