import type { ComponentProps } from "react"

interface Props extends Omit<ComponentProps<"form">, "onSubmit"> {
  onSubmit(): void
}

/** A form that is submitted here, and loads no page. */
export function Form({ onSubmit, ...form }: Props) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}
