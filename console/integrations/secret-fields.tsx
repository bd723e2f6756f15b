import { TextField } from '../parts/form.tsx'
import { idOf } from '../parts/problems.ts'
import type { SecretField } from './data.ts'

interface SecretFieldsProps {
  fields: readonly SecretField[]
  values: Readonly<Record<string, string>>
  problems: Readonly<Record<string, string>>
  onValue: (name: string, value: string) => void
}

/** Fields of a credential in the PSP's words. What is secret is never shown, filled in again, or kept by the browser. */
export function SecretFields({ fields, values, problems, onValue }: SecretFieldsProps) {
  return (
    <>
      {fields.map(({ name, title, help, secret, required, later }) => (
        <TextField
          key={name}
          id={idOf(name)}
          label={required ? title : `${title} (optional)`}
          help={later ? `${help} You can add it later, when the webhook exists.` : help}
          problem={problems[name]}
          name={name}
          {...(secret && { type: 'password' })}
          required={required}
          maxLength={8_192}
          value={values[name] ?? ''}
          onValue={(value) => onValue(name, value)}
        />
      ))}
    </>
  )
}

/** The values without what is secret, which is given up once the service has answered. */
export const withoutSecrets =
  (fields: readonly SecretField[]) =>
  (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => !fields.some((field) => field.secret && field.name === name)),
    )

/** What must be filled in before anything is sent. */
export const unfilled = (
  fields: readonly { name: string; required: boolean }[],
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name, required }) =>
      required && (values[name] ?? '').trim() === '' ? [[name, 'Fill in this field.']] : [],
    ),
  )
