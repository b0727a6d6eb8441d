import { Compartment, type Extension } from "@codemirror/state"
import { type EditorView, keymap, EditorView as View } from "@codemirror/view"

/** The keys by which somebody searches, as @codemirror/search has them. */
const KEYS = ["Mod-f", "F3", "Mod-g", "Mod-Alt-g", "Mod-d", "Mod-Shift-l"]

/**
 * Search, which is a tenth of the editor and which few files are opened for: fetched when somebody goes into the text, or at
 * the latest when they press one of its keys.
 */
export function lazySearch(): Extension {
  const place = new Compartment()
  let loaded: Promise<typeof import("./search.ts")> | undefined

  async function load(view: EditorView) {
    loaded ??= import("./search.ts").then((search) => {
      view.dispatch({ effects: place.reconfigure(search.extension) })
      return search
    })
    // What couldn't be fetched is fetched by the next key: the text can be read and written without it.
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
