import { type ComponentProps, useState } from "react"
import { IconButton } from "./button.tsx"
import { Field } from "./field.tsx"
import { Eye, EyeOff } from "./more-icons.tsx"

/** Password field that can be revealed. */
export function SecretField(props: Omit<ComponentProps<typeof Field>, "type" | "end">) {
  const [shown, setShown] = useState(false)
  const Picture = shown ? EyeOff : Eye
  return (
    <Field
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      {...props}
      type={shown ? "text" : "password"}
      end={
        <IconButton label={shown ? "Hide" : "Show"} aria-pressed={shown} onClick={() => setShown(!shown)}>
          <Picture size={16} aria-hidden />
        </IconButton>
      }
    />
  )
}
