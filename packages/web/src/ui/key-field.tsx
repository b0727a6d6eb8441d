import { keyIn } from "@switchyard/core/models/recognize-key"
import type { ComponentProps } from "react"
import { SecretField } from "./secret-field.tsx"

type Props = Omit<ComponentProps<typeof SecretField>, "autoComplete">

/** Field for an API key. Takes the key out of what was copied with it, such as the name of a variable. */
export function KeyField({ onChange, ...field }: Props) {
  return <SecretField {...field} onChange={(text) => onChange(keyIn(text))} autoComplete="off" />
}
