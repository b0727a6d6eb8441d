import { useContext, useState } from "react"
import { MessageField } from "../../../session/context/message-field.tsx"
import { Button, IconButton } from "../../../ui/button.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"
import { X } from "../../../ui/icons.tsx"
import { type CommentedLine, isOnLine } from "./comments.ts"
import { ShownComments } from "./use-comments.ts"

/** The comments on a line of the diff, shown below it, and the form for a new one. */
export function LineComments({ line }: { line: CommentedLine }) {
  const { all, draft, remove } = useContext(ShownComments)
  const here = all.filter((comment) => isOnLine(comment, line))
  const isDrafted = draft !== null && isOnLine(draft, line)
  if (here.length === 0 && !isDrafted) return null
  return (
    <div className="border-y border-line bg-paper px-3 py-2 font-sans text-sm">
      {here.map(({ id, text }) => (
        <div key={id} className="flex items-start gap-2 border-l-4 border-l-accent pl-2">
          <p className="min-w-0 flex-1 py-1 break-words whitespace-pre-wrap">{text}</p>
          <IconButton label={`Delete comment on line ${line.line}`} onClick={() => remove(id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      {isDrafted && <CommentForm line={line} />}
    </div>
  )
}

function CommentForm({ line }: { line: CommentedLine }) {
  const { add, begin } = useContext(ShownComments)
  const [text, setText] = useState("")
  const label = `Comment on ${line.side === "old" ? "removed line" : "line"} ${line.line}`
  const save = () => {
    if (text.trim() !== "") add(text)
  }
  return (
    <Form className="flex flex-col gap-2" onSubmit={save}>
      <MessageField
        label={label}
        autoFocus
        placeholder="Write a comment for the agent"
        rows={2}
        value={text}
        onChange={setText}
        onKeyDown={({ key }) => key === "Escape" && begin?.(null)}
        onSubmit={save}
        className={`${fieldClass} field-sizing-content block max-h-48 resize-none py-1.5`}
      />
      <div className="flex gap-1.5">
        <Button size="sm" tone="primary" type="submit" disabled={text.trim() === ""}>
          Add comment
        </Button>
        <Button size="sm" tone="quiet" onClick={() => begin?.(null)}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
