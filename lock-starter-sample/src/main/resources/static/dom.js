// The few lines that build and update elements. Updates keep the elements, so that focus and selection stay.

/** Creates an element with properties, data attributes (data-x) and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-')) {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children);
  return element;
}

/** Sets a text unless it is there already: screen readers read a live region when its content is replaced. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Makes the children of an element those of the items, in their order: one for each key, updated in place. */
export function reconcile(parent, items, keyOf, create, update) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const used = new Map();
  let next = parent.firstElementChild;
  for (const item of items) {
    // readers of one instance can share a token, and with it their key
    const plain = String(keyOf(item));
    used.set(plain, (used.get(plain) ?? 0) + 1);
    const key = used.get(plain) === 1 ? plain : `${plain} #${used.get(plain)}`;
    let child = present.get(key);
    if (child === undefined) {
      child = create(item);
      child.dataset.key = key;
    }
    present.delete(key);
    update(child, item);
    if (child === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(child, next);
    }
  }
  present.forEach((child) => child.remove());
}

export function seconds(millis) {
  return `${(Math.max(0, millis) / 1000).toFixed(1)} s`;
}
