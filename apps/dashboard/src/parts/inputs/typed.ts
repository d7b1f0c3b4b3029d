interface Typing {
  readonly currentTarget: { readonly value: string };
}
interface Switching {
  readonly currentTarget: { readonly checked: boolean };
}

/** The value of an input of text, and who is told of what is typed. */
export function typed<T extends string>(value: T, onChange: (value: string) => void) {
  return { value, onChange: ({ currentTarget }: Typing) => onChange(currentTarget.value) };
}

/** The same of a switch. */
export function switched(checked: boolean, onChange: (isOn: boolean) => void) {
  return { checked, onChange: ({ currentTarget }: Switching) => onChange(currentTarget.checked) };
}
