import { syntaxHighlighting } from "@codemirror/language"
import { EditorView } from "@codemirror/view"
import { codeColors } from "./code-colors.ts"

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

export const codeTheme = [chrome, syntaxHighlighting(codeColors)]
