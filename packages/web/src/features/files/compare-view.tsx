import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { codeTheme } from "./code-theme.ts"

/** One's own text, with what it adds to another and what of that it hasn't. */
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
          "aria-label": "Your text compared with the other",
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
      ],
    })
    return () => view.destroy()
  }, [theirs, mine])
  return <div ref={host} className="h-[50vh] overflow-hidden border border-line" />
}
