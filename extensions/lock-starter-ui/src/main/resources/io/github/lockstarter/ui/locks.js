'use strict';

/* Asks for the locks in parts and shows them. Texts of others get into the page as text nodes only. */
(() => {
  const TEXTS = {
    en: {
      title: 'Locks', filter: 'Name contains', refresh: 'Refresh', auto: 'Refresh every 5 s', language: 'Language',
      more: 'Load more', searchOn: 'Continue the search', cancel: 'Cancel', release: 'Release', ask: 'Ask to release',
      name: 'Lock', mode: 'Mode', owner: 'Owner', held: 'Held for', lease: 'Lease left', waiting: 'Waiting', actions: 'Actions',
      leader: 'leader', WRITE: 'Exclusive', READ: 'Read', PERMIT: 'Permits', unknown: 'unknown', here: 'this instance', colon: ': ', waitHere: n => `${n} here`, atRisk: 'at risk',
      readers: n => n === 1 ? '1 reader' : `${n} readers`,
      permits: (p, n) => `${p} ${p === 1 ? 'permit' : 'permits'}, ${n} ${n === 1 ? 'holder' : 'holders'}`,
      pid: pid => `pid ${pid}`,
      shown: n => n === 1 ? '1 lock' : `${n} locks`,
      shownOfMore: n => `${n} locks shown, there may be more`,
      capped: (shown, n, more) => `The first ${shown} of ${n} locks are shown${more ? ', and there may be more' : ''}. Enter a part of the name to see others.`,
      none: 'No lock is held.', noneWith: 'No held lock has a name with this text.',
      noneYet: 'No lock found so far. Redis has more keys to search.',
      loading: 'Loading…', asOf: time => `As of ${time}`, ago: age => `(${age} ago)`, outdated: 'outdated',
      onlyPermission: 'Only locks that this instance holds or waits for are shown: the Redis user has no permission for SCAN. '
        + 'Add +scan to its ACL rules to see the locks of all instances.',
      onlyStore: 'Only locks that this instance holds or waits for are shown: locks are not stored in Redis.',
      failed: why => `The locks cannot be shown. ${why}`, noAnswer: 'The application did not answer.',
      refused: 'Your user has no permission, or the session has ended. Load the page again to sign in.',
      gone: 'The page is switched off: the endpoint "locks" is not exposed.', status: code => `The application answered with status ${code}.`,
      question: 'Release this lock by force?', ownerIs: owner => `Owner: ${owner}`,
      consequence: 'Every owner loses the lock, and the next one begins immediately. The present owner is notified, and works on until '
        + 'then: for milliseconds, or without a message until its next renewal or the end of a fixed lease. Prefer to stop the '
        + 'instance that holds the lock.',
      RELEASED: 'Released: ', FREE: 'The lock was free already: ', ASKED: 'Asked to release: ',
      UNOWNED: 'There was no owner to ask, because the lock was released, or is kept by a minimum hold alone: ',
      CHANGED: 'Nothing was done, because the lock has another owner by now: ',
      notReleased: why => `The lock may not have been released. ${why}`,
      notAsked: why => `An owner was not asked. ${why}`,
      asked: (n, all) => n === all ? 'asked' : `${n} of ${all} asked`,
      notRead: 'not read in time', notShown: 'cannot be shown, because its data is damaged',
      late: n => `Redis answered too slowly: the data of ${n === 1 ? '1 lock is' : `${n} locks is`} missing. Refresh, or enter a part of the name.`,
      fullName: 'Full name', codes: 'Code points', token: 'Fencing token', since: 'Since', instance: 'Instance', started: 'started', thread: 'Thread of this instance',
      noThread: 'none: the lease belongs to no thread', renewals: 'Renewals by this instance',
      renewed: n => `${n}`, notRenewed: n => `${n}; the lease is not renewed any more, or is fixed`,
      heldHere: 'also held here', holders: 'Holders', line: 'Waiting line', firstOf: (n, all) => `the first ${n} of ${all}`, waitersHere: 'Waiters of this instance',
    },
    zh: {
      title: '锁', filter: '名称包含', refresh: '刷新', auto: '每 5 秒刷新', language: '语言',
      more: '加载更多', searchOn: '继续查找', cancel: '取消', release: '强制释放', ask: '请求释放',
      name: '锁', mode: '模式', owner: '持有者', held: '已持有', lease: '租约剩余', waiting: '等待', actions: '操作',
      leader: '主节点', WRITE: '独占', READ: '读', PERMIT: '许可', unknown: '未知', here: '本实例', colon: '：', waitHere: n => `本实例 ${n}`, atRisk: '有风险',
      readers: n => `${n} 个读者`, permits: (p, n) => `${p} 个许可，${n} 个持有者`,
      pid: pid => `进程 ${pid}`, shown: n => `共 ${n} 把锁`, shownOfMore: n => `已显示 ${n} 把锁，可能还有更多`,
      capped: (shown, n, more) => `${n} 把锁中显示前 ${shown} 把${more ? '，可能还有更多' : ''}。输入名称的一部分可以查看其他锁。`,
      none: '当前没有被持有的锁。', noneWith: '没有名称包含该文本的锁。', noneYet: '暂时没有找到，Redis 中还有键没有查完。',
      loading: '正在加载…', asOf: time => `数据时间 ${time}`, ago: age => `（${age}前）`, outdated: '已过时',
      onlyPermission: '只显示本实例持有或等待的锁：Redis 用户没有 SCAN 权限。在它的 ACL 规则中加上 +scan，就能看到所有实例的锁。',
      onlyStore: '只显示本实例持有或等待的锁：锁没有存放在 Redis 中。',
      failed: why => `无法显示锁。${why}`, noAnswer: '应用没有响应。',
      refused: '没有权限，或者会话已过期。请重新加载页面并登录。',
      gone: '页面未开放：端点 locks 没有暴露。', status: code => `应用返回了状态码 ${code}。`,
      question: '强制释放这把锁？', ownerIs: owner => `持有者：${owner}`,
      consequence: '所有持有者都会丢锁，下一个等待者立即拿到锁。当前持有者会收到通知，在此之前继续执行：通常只有几毫秒，'
        + '收不到通知时要到下一次续期，固定租约要到租约结束。如果可以，请改为停掉持有锁的实例。',
      RELEASED: '已释放：', FREE: '锁已经是空闲的：', CHANGED: '锁已换了持有者，未执行操作：', notReleased: why => `锁可能没有释放。${why}`,
      ASKED: '已请求释放：', UNOWNED: '没有可以请求的持有者，锁已释放，或者只是在等 minHold 结束：', notAsked: why => `有持有者没有收到请求。${why}`,
      asked: (n, all) => n === all ? '已请求释放' : `已请求 ${n}/${all}`,
      notRead: '未能及时读取', notShown: '数据已损坏，无法显示',
      late: n => `Redis 响应太慢，缺少 ${n} 把锁的数据。请刷新，或者输入名称的一部分。`,
      fullName: '完整名称', codes: '码点', token: '防护令牌', since: '加锁时间', instance: '实例', started: '启动于', thread: '本实例的线程',
      noThread: '无：租约不属于任何线程', renewals: '本实例的续期次数',
      renewed: n => `${n}`, notRenewed: n => `${n}；已停止续期，或者是固定租约`,
      heldHere: '本实例也持有', holders: '持有者', line: '等待队列', firstOf: (n, all) => `前 ${n} 个，共 ${all} 个`, waitersHere: '本实例的等待者',
    },
  };
  const FIRST = 100;
  const NEXT = 500;
  const MOST = 1000;
  const MOST_ROWS = 500;
  const COLUMNS = ['name', 'mode', 'owner', 'held', 'lease', 'waiting', 'actions'];
  const SORTS = {
    name: row => row.lock.name,
    held: row => (row.lock.since == null ? -1 : row.at - row.lock.since),
    lease: row => (row.lock.remaining == null ? -1 : row.lock.remaining),
    waiting: row => row.lock.waiting || 0,
  };
  const OLD_MILLIS = 30000;

  const $ = id => document.getElementById(id);
  /** What is shown: by name, because a part of a scan may repeat what another one had. */
  let rows = new Map();
  let instances = new Map();
  let cursor = null;
  let loadedAt = null;
  let mayRelease = false;
  let mayAsk = false;
  let csrf = null;
  let application = '';
  let sort = null;
  let problem = null;
  let only = null;
  let outcome = null;
  let asked = null;
  let request = 0;
  let typedMeanwhile = false;
  let shownText = null;
  let loading = false;
  const open = new Set();
  /** Grants whose owners were asked: other instances do not report it. No other grant has the same token or id. */
  const requested = new Set();

  let language = remembered() || (navigator.languages || []).map(tag => tag.slice(0, 2)).find(tag => TEXTS[tag]) || 'en';
  const t = key => TEXTS[language][key];

  function remembered() {
    try {
      return TEXTS[localStorage.getItem('lock-starter-language')] ? localStorage.getItem('lock-starter-language') : null;
    } catch {
      return null;
    }
  }

  // ---- Elements

  function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children.filter(child => child != null && child !== ''));
    return element;
  }

  /**
   * Splits a name at characters that are not visible, that fonts need not have or that change the direction of a text. Of the
   * spaces, only a single one between other characters is visible. No property of Unicode covers the blanks at the end.
   */
  const INVISIBLE = /([\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}|^ | $|(?<= ) | (?= )|[\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}])/u;
  const NOT_ASCII = /([^\x00-\x7F])/u;

  /** Splits a text by a pattern with one group, and shows what the group has found by its code. */
  function withCodes(text, pattern, describe) {
    return text.split(pattern).flatMap((part, i) => i % 2 === 0 ? describe(part)
      : [el('span', { class: 'char' }, 'U+' + part.codePointAt(0).toString(16).toUpperCase().padStart(4, '0'))]);
  }

  /** Returns the text with codes in place of characters that are not visible. */
  const printable = text => withCodes(text, INVISIBLE, part => part === '' ? [] : [part]);

  /** Returns the text with codes in place of all characters that may look like others; null if there are none. */
  const spelled = text => NOT_ASCII.test(text) ? withCodes(text, NOT_ASCII, printable) : null;

  const plain = text => printable(text).map(part => part.textContent || part).join('');

  function unit(value, name) {
    return new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: 1 }).format(value);
  }

  function duration(millis) {
    const seconds = Math.max(0, millis) / 1000;
    if (seconds < 10) {
      return unit(Math.floor(seconds * 10) / 10, 'second');
    }
    const whole = Math.floor(seconds);
    const parts = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']];
    const first = parts.findIndex(([size]) => whole >= size);
    return parts.slice(first, first + 2)
      .map(([size, name], i) => [Math.floor((i ? whole % parts[first][0] : whole) / size), name])
      .filter(([count]) => count > 0)
      .map(([count, name]) => unit(count, name)).join(' ');
  }

  /** Dates of damaged data can be out of range. */
  const isTime = millis => millis != null && !Number.isNaN(new Date(millis).getTime());
  const moment = millis => isTime(millis) ? new Date(millis).toLocaleString(language) : t('unknown');

  function time(millis, text) {
    return !isTime(millis) ? el('span', {}, t('unknown')) : el('time', { datetime: new Date(millis).toISOString(), title: moment(millis) }, text);
  }

  function instanceText(id) {
    const known = instances.get(id);
    if (!known || known.application == null) {
      return plain(id || t('unknown'));
    }
    return plain(known.application + (known.host == null ? '' : '@' + known.host)) + (known.pid == null ? '' : ` (${t('pid')(known.pid)})`);
  }

  function ownerText(lock) {
    const first = instanceText(lock.holder);
    if (lock.mode === 'READ') {
      return `${t('readers')(lock.holdersCount)}${t('colon')}${first}${lock.holdersCount > 1 ? ' …' : ''}`;
    }
    return lock.mode === 'PERMIT'
      ? `${t('permits')(lock.permits, lock.holdersCount)}${t('colon')}${first}${lock.holdersCount > 1 ? ' …' : ''}` : first;
  }

  const grantKey = (lock, grant) => `${lock.id} ${grant}`;

  /** Returns whether a holder was asked; null: the exclusive owner. For a grant of this instance, the instance knows. */
  function isAsked(lock, holder) {
    return holder ? holder.asked || requested.has(grantKey(lock, holder.id))
      : lock.held ? lock.held.asked : requested.has(grantKey(lock, lock.token));
  }

  function askedChip(lock) {
    const all = (lock.holders || []).length || 1;
    const count = lock.holdersCount ? lock.holders.filter(each => isAsked(lock, each)).length : Number(isAsked(lock));
    return count ? el('span', { class: 'chip' }, t('asked')(count, all)) : '';
  }

  function askButton(lock, holder) {
    const label = `${t('ask')}${t('colon')}${holder ? `${instanceText(holder.instance)} ${holder.token}` : plain(lock.name)}`;
    const button = el('button', { type: 'button', class: 'ask', 'aria-label': label, 'data-holder': holder ? holder.id : '' }, t('ask'));
    button.addEventListener('click', () => askToRelease(lock, holder));
    return button;
  }

  // ---- Rows

  function cell(column, ...children) {
    return el('td', { role: 'cell', class: 'c-' + column, 'data-label': t(column) }, ...children);
  }

  function lockRow(row) {
    const lock = row.lock;
    const toggle = el('button', { type: 'button', class: 'toggle', 'aria-expanded': open.has(lock.name) },
      el('span', { class: 'name', dir: 'auto' }, ...printable(lock.name)));
    toggle.addEventListener('click', () => {
      open.has(lock.name) ? open.delete(lock.name) : open.add(lock.name);
      toggle.setAttribute('aria-expanded', open.has(lock.name));
      open.has(lock.name) ? toggle.closest('tr').after(detailsRow(row)) : toggle.closest('tr').nextSibling.remove();
    });
    if (lock.error || lock.late) {
      return failedRow(toggle, lock.error ? plain(lock.error) : t('notRead'));
    }
    const actions = cell('actions');
    if (mayAsk) {
      actions.append(askButton(lock));
    }
    if (mayRelease) {
      const button = el('button', { type: 'button', class: 'release', 'aria-label': `${t('release')}: ${plain(lock.name)}` }, t('release'));
      button.addEventListener('click', () => ask(row));
      actions.append(button);
    }
    const atRisk = lock.held && lock.held.state === 'AT_RISK';
    return el('tr', { role: 'row', class: 'lock' },
      cell('name', toggle),
      cell('mode', el('span', { class: 'chip' }, lock.name.startsWith('leader.') ? t('leader') : t(lock.mode) || t('unknown'))),
      cell('owner', el('span', { class: 'owner' }, ownerText(lock), ' ',
        lock.held ? el('span', { class: 'chip' }, t(lock.holdersCount > 1 ? 'heldHere' : 'here')) : '', ' ', askedChip(lock))),
      cell('held', time(lock.since, duration(row.at - lock.since))),
      cell('lease', el('span', {}, lock.remaining == null ? t('unknown') : duration(lock.remaining), ' ',
        atRisk ? el('span', { class: 'chip warn' }, '⚠ ' + t('atRisk')) : '')),
      cell('waiting', el('span', {}, lock.waiting == null ? t('unknown') : String(lock.waiting), ' ',
        lock.waitersHere ? el('span', { class: 'chip' }, t('waitHere')(lock.waitersHere)) : '')),
      actions);
  }

  function failedRow(name, why) {
    return el('tr', { role: 'row', class: 'lock' }, cell('name', name),
      el('td', { role: 'cell', colspan: 6 }, el('span', { class: 'chip warn' }, why)));
  }

  function detailsRow(row) {
    try {
      return details(row);
    } catch {
      return el('tr', { role: 'row', class: 'details' }, el('td', { role: 'cell', colspan: 7 }, t('notShown')));
    }
  }

  function details(row) {
    const lock = row.lock;
    const facts = el('dl');
    const fact = (name, value, attributes) => value != null && facts.append(el('dt', {}, t(name)), el('dd', attributes || {}, ...[].concat(value)));
    fact('fullName', printable(lock.name), { class: 'name', dir: 'auto', tabindex: 0 });
    fact('codes', spelled(lock.name), { class: 'name', dir: 'ltr', tabindex: 0 });
    fact('token', lock.token);
    fact('since', lock.since == null ? null : moment(lock.since));
    const instance = instances.get(lock.holder);
    fact('instance', lock.holder && plain(lock.holder) + (instance && instance.startedAt != null ? `, ${t('started')} ${moment(instance.startedAt)}` : ''));
    if (lock.held) {
      fact('thread', lock.held.thread == null ? t('noThread') : plain(lock.held.thread));
      fact('renewals', t(lock.held.renewed ? 'renewed' : 'notRenewed')(lock.held.renewals));
    }
    fact('waitersHere', lock.waitersHere == null ? null : String(lock.waitersHere));
    const shown = el('tr', { role: 'row', class: 'details' }, el('td', { role: 'cell', colspan: 7 }, facts,
      ...list('holders', lock.holders, lock.holdersCount, each => [
        instanceText(each.instance), lock.mode === 'PERMIT' ? ` · ${t('PERMIT')}${t('colon')}${each.permits}` : '',
        ' · ', t('held'), ' ', time(each.since, duration(row.at - each.since)),
        each.remaining == null ? '' : ` · ${t('lease')} ${duration(each.remaining)}`, ` · ${t('token')} ${each.token} `,
        isAsked(lock, each) ? el('span', { class: 'chip' }, t('asked')(1, 1)) : '', ' ',
        mayAsk && lock.holdersCount > 1 ? askButton(lock, each) : '']),
      ...list('line', lock.line, lock.waiting, each => [`${instanceText(each.instance)} · ${t(each.mode)}`])));
    shown.lockName = lock.name;
    return shown;
  }

  function list(title, items, all, describe) {
    if (!items || items.length === 0) {
      return [];
    }
    return [el('h2', {}, t(title) + (all > items.length ? ` (${t('firstOf')(items.length, all)})` : '')),
      el('ol', { tabindex: 0, 'aria-label': t(title) }, ...items.map(each => el('li', {}, ...describe(each))))];
  }

  /** Returns the rows of a lock. The other locks must be shown whatever the data of this one is. */
  function elements(row) {
    let first;
    try {
      first = lockRow(row);
    } catch {
      first = failedRow(el('span', { class: 'name', dir: 'auto' }, ...printable(row.lock.name)), t('notShown'));
    }
    first.lockName = row.lock.name;
    return open.has(row.lock.name) ? [first, detailsRow(row)] : [first];
  }

  function sorted() {
    const all = [...rows.values()];
    if (sort) {
      const value = SORTS[sort.column];
      const compare = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
      all.sort((a, b) => sort.direction * compare(a, b));
    }
    return all;
  }

  // ---- Page

  function showColumns() {
    $('columns').replaceChildren(...COLUMNS.map(column => {
      const isSorted = sort && sort.column === column;
      const header = el('th', { role: 'columnheader', scope: 'col', class: `c-${column}${SORTS[column] ? ' sorts' : ''}` });
      if (!SORTS[column]) {
        header.append(column === 'actions' ? el('span', { class: 'hidden' }, t(column)) : t(column));
        return header;
      }
      header.setAttribute('aria-sort', isSorted ? (sort.direction > 0 ? 'ascending' : 'descending') : 'none');
      const button = el('button', { type: 'button' }, t(column));
      button.addEventListener('click', () => {
        const first = column === 'name' || column === 'lease' ? 1 : -1;
        sort = { column, direction: isSorted ? -sort.direction : first };
        showAll();
        $('columns').querySelector(`.c-${column} button`).focus();
      });
      header.append(button);
      return header;
    }));
  }

  function notice(id, content) {
    $(id).replaceChildren(...[].concat(content || []));
    $(id).hidden = !content;
  }

  function showState() {
    notice('problem', problem && problem());
    notice('only', only && t(only === 'permission' ? 'onlyPermission' : 'onlyStore'));
    notice('outcome', outcome && outcome());
    const late = [...rows.values()].filter(row => row.lock.late).length;
    notice('late', late > 0 && t('late')(late));
    const count = rows.size;
    const found = cursor != null ? 'noneYet' : $('text').value ? 'noneWith' : 'none';
    $('count').textContent = loading && loadedAt == null ? t('loading')
      : loadedAt == null ? '' : count === 0 ? t(found)
      : count > MOST_ROWS ? t('capped')(MOST_ROWS, count, cursor != null) : t(cursor != null ? 'shownOfMore' : 'shown')(count);
    $('more').hidden = cursor == null || loadedAt == null;
    $('more').textContent = t(count ? 'more' : 'searchOn');
    $('more').disabled = loading;
    document.querySelector('table').hidden = count === 0;
    document.body.setAttribute('aria-busy', loading);
    showAge();
  }

  function showAge() {
    const age = loadedAt == null ? 0 : Date.now() - loadedAt;
    $('age').textContent = loadedAt == null ? ''
      : `${t('asOf')(new Date(loadedAt).toLocaleTimeString(language))} ${age < 1000 ? '' : t('ago')(duration(Math.floor(age / 1000) * 1000))}`
        + (age > OLD_MILLIS ? ` – ${t('outdated')}` : '');
    $('age').classList.toggle('old', age > OLD_MILLIS);
  }

  function showAll() {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    document.title = t('title') + (application && ` – ${plain(application)}`);
    document.querySelectorAll('[data-text]').forEach(each => { each.textContent = t(each.dataset.text); });
    $('application').textContent = plain(application);
    $('text').placeholder = t('filter');
    $('language').value = language;
    showColumns();
    showRows();
    showState();
  }

  /** Replaces the rows. The focus stays at the same button of the same lock, if it is still there. */
  function showRows() {
    const focused = document.activeElement;
    const name = focused.closest('tr') ? focused.closest('tr').lockName : null;
    $('rows').replaceChildren(...sorted().slice(0, MOST_ROWS).flatMap(elements));
    const buttons = name == null ? [] : [...$('rows').children].filter(each => each.lockName === name).flatMap(each => [...each.querySelectorAll('button')]);
    const same = buttons.find(each => each.className === focused.className && each.dataset.holder === focused.dataset.holder) || buttons[0];
    if (same) {
      same.focus({ preventScroll: true });
    }
  }

  // ---- Requests

  async function send(address, options) {
    // The header keeps other sites out, and data out of what a login returns to.
    const headers = { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' };
    let response;
    try {
      response = await fetch(address, { headers, cache: 'no-store', redirect: 'manual', ...options });
    } catch {
      throw { why: () => t('noAnswer') };
    }
    const isJson = (response.headers.get('Content-Type') || '').startsWith('application/json');
    const body = isJson ? await response.json().catch(() => ({})) : null;
    if (response.ok && body) {
      return body;
    }
    // A page of HTML in place of the data is that of a login, and so is what a redirection leads to.
    const isRefused = response.status === 401 || response.status === 403 || response.ok || response.type === 'opaqueredirect';
    throw {
      why: () => (body && response.status !== 403 && body.error) || (isRefused ? t('refused') : response.status === 404 ? t('gone') : t('status')(response.status)),
    };
  }

  /** Starts the search for what was typed meanwhile: one at a time, since the server does not notice that another is void. */
  function ended() {
    loading = false;
    if (typedMeanwhile) {
      typedMeanwhile = false;
      setTimeout(() => load(false));
    }
  }

  /** Loads the first locks, as many as are shown, or the next ones. */
  async function load(next) {
    const mine = ++request;
    const text = $('text').value;
    const wanted = next || text !== shownText ? 0 : rows.size;
    loading = true;
    showState();
    let data;
    try {
      data = await send('data?' + new URLSearchParams({
        text, count: next ? NEXT : Math.min(Math.max(wanted, FIRST), MOST), ...(next ? { cursor } : {}),
      }));
      // A part ends after a second: a refresh must not drop what several parts have found.
      while (mine === request && data.locks.length < wanted && data.cursor != null) {
        const more = await send('data?' + new URLSearchParams({ text, count: NEXT, cursor: data.cursor }));
        data = { ...more, locks: [...data.locks, ...more.locks], instances: { ...data.instances, ...more.instances } };
      }
    } catch (failure) {
      if (mine === request) {
        ended();
        problem = () => t('failed')(plain(failure.why()));
        // What was loaded before is no answer to this question.
        if (!next) {
          rows = new Map();
          cursor = null;
          loadedAt = null;
          $('rows').replaceChildren();
        }
        showState();
      }
      return;
    }
    if (mine !== request) {
      return;
    }
    ended();
    shownText = text;
    application = data.application;
    problem = null;
    only = data.only;
    mayRelease = data.mayRelease;
    mayAsk = data.mayAsk;
    csrf = data.csrf;
    cursor = data.cursor;
    if (!next) {
      rows = new Map();
      instances = new Map();
      loadedAt = Date.now();
    }
    Object.entries(data.instances).forEach(([id, instance]) => instances.set(id, instance));
    const room = Math.max(0, MOST_ROWS - rows.size);
    const added = data.locks.filter(lock => !rows.has(lock.name)).map(lock => ({ lock, at: data.at }));
    added.forEach(row => rows.set(row.lock.name, row));
    if (next && !sort) {
      $('rows').append(...added.slice(0, room).flatMap(elements));
      showState();
    } else {
      showAll();
    }
  }

  // ---- Release

  /** Asks the owner of one grant, or all owners. A confirmation is not needed, because every owner decides itself. */
  async function askToRelease(lock, holder) {
    const answer = await change('ask', lock, 'notAsked', holder ? { holder: holder.id } : {});
    const isDone = answer != null && answer.outcome === 'ASKED';
    if (isDone) {
      const grants = holder ? [holder.id] : lock.holdersCount ? lock.holders.map(each => each.id) : [lock.token];
      grants.forEach(each => requested.add(grantKey(lock, each)));
    }
    await load(false);
    if (!isDone) {
      $('outcome').focus();
    }
  }

  /** Sends an action with the owner that is shown, and notes its outcome. Returns the answer if there is one. */
  async function change(action, lock, failed, more) {
    try {
      const body = new URLSearchParams({ id: lock.id, token: lock.mode === 'WRITE' ? lock.token || '' : '', ...more });
      if (csrf) {
        body.set(csrf.name, csrf.value);
      }
      const answer = await send(action, { method: 'POST', body });
      outcome = () => [t(answer.outcome), ...printable(lock.name)];
      return answer;
    } catch (failure) {
      outcome = () => t(failed)(plain(failure.why()));
      return null;
    }
  }

  function ask(row) {
    asked = row;
    const codes = spelled(row.lock.name);
    $('confirm-name').replaceChildren(...printable(row.lock.name));
    $('confirm-codes').hidden = !codes;
    $('confirm-codes').lastElementChild.replaceChildren(...(codes || []));
    $('confirm-owner').textContent = t('ownerIs')(ownerText(row.lock));
    $('release').disabled = false;
    $('confirm').showModal();
    $('cancel').focus();
  }

  async function release() {
    $('release').disabled = true;
    await change('release', asked.lock, 'notReleased', {});
    $('confirm').close();
    await load(false);
    $('outcome').focus();
  }

  // ---- Events

  $('search').addEventListener('submit', event => {
    event.preventDefault();
    outcome = null;
    load(false);
  });
  let typed = null;
  $('text').addEventListener('input', () => {
    clearTimeout(typed);
    typed = setTimeout(() => {
      if (loading) {
        typedMeanwhile = true;
      } else {
        load(false);
      }
    }, 300);
  });
  $('more').addEventListener('click', () => load(true));
  $('cancel').addEventListener('click', () => $('confirm').close());
  $('release').addEventListener('click', release);
  $('language').addEventListener('change', () => {
    language = $('language').value;
    try {
      localStorage.setItem('lock-starter-language', language);
    } catch {
      // The choice holds until the page is left.
    }
    showAll();
  });
  setInterval(showAge, 1000);
  setInterval(() => {
    if ($('auto').checked && !loading && !document.hidden && !$('confirm').open) {
      load(false);
    }
  }, 5000);

  showAll();
  load(false);
})();
