import { createHash } from "node:crypto"
import { type EditRange, findRange } from "../../files/edits/search-replace.ts"
import type { EditPlace } from "../runs/run-writer.ts"
import type { HarnessContext } from "./context.ts"
import { createJsonStringDecoder, type StringPiece } from "./json-strings.ts"
import type { EditArguments } from "./tools.ts"

/** A file with all edits so far applied, and the number of edits. */
interface EditedFile {
  base: string
  text: string
  count: number
}

/** Creates a preview of the edits in an answer, which shows them in their files while the model is writing them. */
export function createEditPreview(context: Pick<HarnessContext, "filePath" | "signal" | "emitFileText">) {
  const files = new Map<string, Promise<EditedFile | undefined>>()
  let isStopped = false

  /** Reads each file once per answer. Failures are ignored, because the call itself will report them. */
  function open(path: string, edits: EditArguments): Promise<EditedFile | undefined> {
    const read = async () => {
      const text = await edits.read(path, context)
      return { base: createHash("sha256").update(text).digest("hex"), text, count: 0 }
    }
    const file = files.get(path) ?? read().catch(() => undefined)
    files.set(path, file)
    return file
  }

  /** Starts the preview of a call. Returns a function that receives the call's arguments as they arrive. */
  function start(edits: EditArguments): (argumentsDelta: string) => void {
    const decode = createJsonStringDecoder()
    const waiting: StringPiece[] = []
    let named = ""
    let path = context.filePath
    let opened: { write(piece: StringPiece): void } | "opening" | undefined

    function openFile(path: string): void {
      opened = "opening"
      open(path, edits).then((file) => {
        const emit = (place: EditPlace, offset: number, text: string) => {
          if (!isStopped) context.emitFileText({ path, offset, text, edit: place })
        }
        opened = file ? createPlacer(file, edits, emit) : { write: () => {} }
        for (const piece of waiting.splice(0)) opened.write(piece)
      })
    }

    return (argumentsDelta: string) => {
      for (const piece of decode(argumentsDelta)) {
        if (piece.path[0] === edits.editsKey) waiting.push(piece)
        if (piece.path.length !== 1 || piece.path[0] !== edits.pathKey) continue
        named += piece.text
        if (piece.isLast) path = edits.toPath(named) ?? path
      }
      if (waiting.length === 0 || path === undefined) return
      if (opened === undefined) openFile(path)
      else if (opened !== "opening") for (const piece of waiting.splice(0)) opened.write(piece)
    }
  }

  return {
    start,
    stop(): void {
      isStopped = true
    },
  }
}

/** Locates each edit once its search text is complete, and then emits its replacement text as it arrives. */
function createPlacer(
  file: EditedFile,
  { searchKey, replaceKey }: EditArguments,
  emit: (place: EditPlace, offset: number, text: string) => void,
) {
  let edit = newEdit(0)
  let isFailed = false

  function write({ path: [, index, key], text, isLast }: StringPiece): void {
    if (isFailed || typeof index !== "number") return
    if (index !== edit.index) edit = newEdit(index)
    if (key === searchKey) edit.search += text
    if (key === replaceKey) edit.replace += text
    if (key === searchKey && isLast) place()
    if (key === replaceKey && isLast) edit.isWhole = true
    if (edit.place && edit.range) show(edit.place, edit.range)
  }

  function place(): void {
    const range = findRange(file.text, edit.search)
    // Either all edits of a call are applied, or none. If one of them can't be located, the call will be refused.
    isFailed = range === undefined
    if (!range) return
    edit.range = range
    edit.place = { base: file.base, edit: file.count++, at: range.at, removed: range.removed }
  }

  function show(place: EditPlace, { at, removed, adapt }: EditRange): void {
    const replace = adapt(edit.replace)
    const more = replace.slice(edit.shown)
    if (more !== "" || (edit.isWhole && edit.shown === 0)) emit(place, edit.shown, more)
    edit.shown = replace.length
    if (!edit.isWhole) return
    file.text = file.text.slice(0, at) + replace + file.text.slice(at + removed)
    edit.range = undefined
  }

  return { write }
}

/** The part of an edit that has arrived so far. */
interface ArrivingEdit {
  index: number
  search: string
  replace: string
  /** True once the replacement has arrived completely. */
  isWhole: boolean
  /** Number of characters of the replacement that have been shown. */
  shown: number
  place?: EditPlace
  /** Range of the text to replace. Set from the end of the search text to the end of the replacement. */
  range?: EditRange | undefined
}

function newEdit(index: number): ArrivingEdit {
  return { index, search: "", replace: "", isWhole: false, shown: 0 }
}
