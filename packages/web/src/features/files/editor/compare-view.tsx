import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { codeTheme } from "./code-theme.ts"

/** The user's text, with its additions and deletions relative to the other version. */
export function CompareView({ theirs, mine }: { theirs: string; mine: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const view = new EditorView({
      parent: host.current,
      doc: mine,
      extensions: [
        lineNumbers(),
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": "Your version compared with theirs",
          "aria-readonly": "true",
          tabindex: "0",
        }),
        unifiedMergeView({
          original: theirs,
          mergeControls: false,
          collapseUnchanged: { margin: 3 },
          diffConfig: { timeout: 1000 },
        }),
        codeTheme,
        signs,
      ],
    })
    return () => view.destroy()
  }, [theirs, mine])
  return <div ref={host} className="h-[50vh] overflow-hidden border border-line" />
}

/** Two colours and two signs, so that nobody has to tell the colours apart. */
const signs = EditorView.theme({
  ".cm-content": { paddingBottom: "8px" },
  ".cm-line::before, .cm-deletedLine::before": { content: '"  "', whiteSpace: "pre" },
  ".cm-changedLine::before": { content: '"+ "', color: "var(--color-ok)" },
  ".cm-deletedLine::before": { content: '"\u2212 "', color: "var(--color-err)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--color-add-bg)" },
  ".cm-deletedChunk": { backgroundColor: "var(--color-del-bg)", paddingLeft: "8px" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--color-ok) 22%, transparent)" },
  "& .cm-deletedChunk .cm-deletedText": { background: "color-mix(in srgb, var(--color-err) 22%, transparent)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--color-ok)" },
  "& .cm-gutters .cm-deletedLineGutter": { background: "var(--color-err)" },
  // The merge view's own sign is missing from most fonts.
  "& .cm-collapsedLines::before, & .cm-collapsedLines::after": { content: '"···"' },
  "& .cm-content .cm-collapsedLines": {
    color: "var(--color-ink-3)",
    background: "var(--color-well)",
    borderBlock: "1px solid var(--color-line)",
    padding: "4px 16px",
  },
})
