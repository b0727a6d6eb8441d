import { Compartment, type Extension } from "@codemirror/state"
import { type EditorView, keymap, EditorView as View } from "@codemirror/view"

/** Search shortcuts of @codemirror/search. */
const KEYS = ["Mod-f", "F3", "Mod-g", "Mod-Alt-g", "Mod-d", "Mod-Shift-l"]

/**
 * Loads the search when the editor is focused or a search shortcut is pressed. It is a tenth of the editor, and rarely
 * needed.
 */
export function lazySearch(): Extension {
  const place = new Compartment()
  let loaded: Promise<typeof import("./search.ts")> | undefined

  async function load(view: EditorView) {
    loaded ??= import("./search.ts").then((search) => {
      view.dispatch({ effects: place.reconfigure(search.extension) })
      return search
    })
    // If loading fails, the next shortcut tries again. The editor works without it.
    loaded.catch(() => {
      loaded = undefined
    })
    return loaded
  }

  const early = KEYS.map((key) => ({
    key,
    run: (view: EditorView) => {
      load(view).then(
        (search) => search.press(view, key),
        () => undefined,
      )
      return true
    },
  }))
  return [
    place.of([]),
    keymap.of(early),
    View.domEventHandlers({
      focus: (_, view) => {
        load(view).catch(() => undefined)
      },
    }),
  ]
}
