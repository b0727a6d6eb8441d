import { ModelKeyForm } from "../access/model-key-form.tsx"

export function ModelSection() {
  return (
    <div className="border-t border-line pt-5">
      <ModelKeyForm />
    </div>
  )
}
