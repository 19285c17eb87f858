// Draws what happens to locks: a lane for each instance, and in it a row for each lock, on an axis of 30 seconds, of which
// the last six are the future: a lease is drawn until its end.
//
// Sources, all from the streams of the instances:
// - "news": events of locks, which begin and end bars
// - "state": what an instance holds, several times a second; gives the end of each lease, and repairs bars whose news are missing
// - "redis": what Redis stores; decides what has become of the locks of an instance that does not answer
// - "database": the instances, and the tickets
//
// All processes run on this machine, so that their clocks and that of the browser are the same.
//
// A reload continues the story: the page keeps it in the storage of its tab, and an instance repeats the news of the last minute.

const EVENT = 'show';
const SEATS = 1000;
const LOCKS = [`event:${EVENT}`, 'payment', `report:${EVENT}`];
const SALE = LOCKS[0];
const PAST = 24_000;
const FUTURE = 6_000;
const SILENT_AFTER = 2_000;
const FREEZE_SECONDS = 10;
const REPEATED_MILLIS = 3_000; // equal entries within this time are counted
const MEMORY = 'story';

const EN = {
  title: 'Who holds the lock?',
  intro: 'Instances of one service sell tickets for one show. Only one of them may sell at a time.',
  hold: 'Hold the picture', goOn: 'Go on', language: '中文',
  steps: ['Start two instances', 'Slow sale on one', 'Buy 1 on the other', 'Pause the first', 'Its lease ends, the other sells', 'Its late write is refused'],
  buy: 'Buy 1', crowd: '20 buyers', slow: 'Slow sale 10 s', visit: 'Look for 3 s', report: 'Report 20 s', force: 'Take by force', pause: 'Pause 10 s', kill: 'Kill -9',
  freeze: 'Freeze Redis 10 s',
  on: (action, port) => `${action}, instance ${port}`, lane: port => `Instance ${port}`,
  ok: 'running', silent: 'does not answer', gone: 'dead', stopped: 'stopped', stopping: 'stopping', connecting: 'connecting',
  legend: 'Legend', legendHeld: 'holds the lock', legendShared: 'shares it: reader, permit', legendWaits: 'waits', legendLeft: 'owner is dead, still locked', legendLost: 'works on without the lock', legendLease: 'until the lease ends', legendRenewed: 'renewed', legendRefused: 'write refused',
  axis: n => `${n} s`, axisNow: 'now', free: 'not held',
  held: h => `holds it · lease ends in ${h.left}`,
  risk: h => `not renewed · lease ends in ${h.left}`,
  shared: (n, h, permit) => `${n} ${permit ? (n === 1 ? 'permit' : 'permits') : (n === 1 ? 'reader' : 'readers')} · lease ends in ${h.left}`,
  unheard: h => `holds it in Redis · lease ends in ${h.left}`,
  left: h => `owner is dead · locked in Redis for ${h.left}`,
  lost: (why, paused) => `lost: ${why} · ${paused ? 'does not know it yet' : 'works on without it'}`,
  waits: (n, holder) => `${n === 1 ? 'waits' : n + ' wait'}${holder ? ' for ' + holder : ''}`,
  second: 'A second instance shows more. Start it in another terminal:', again: port => `Instance ${port} does not run. Start it again:`,
  nobody: 'Nobody sells at the moment.', sells: port => `:${port} sells.`, ending: port => `:${port} is stopping, and ends its sale before that.`, looks: ports => `${ports} ${ports.includes(',') ? 'have' : 'has'} visitors who look at the show.`, waiting: ports => `${ports} must wait.`,
  asleep: port => `:${port} is paused. It holds the lock until its lease ends.`,
  unaware: port => `:${port} is paused, has lost the lock, and does not know it.`, late: port => `:${port} has lost the lock and is late.`,
  dead: port => `:${port} is dead. Its lock remains in Redis until the lease ends.`,
  frozenNow: 'Redis does not answer: no lease can be renewed, and nobody else gets a lock.',
  answers: 'Answers. It keeps who holds each lock, for how long, and the waiting line.', frozen: s => `Has not answered for ${s}.`,
  database: 'Database', sold: (sold, seats) => `${sold} of ${seats} seats sold. Each token must be larger than those before it.`, noDatabase: 'Does not answer.',
  seat: n => `#${n} `, refused: 'refused ', seconds: n => `${n} s`,
  log: 'What happened', started: 'has joined', back: 'answers again', silentLog: 'does not answer any more', goneLog: 'has died', stoppedLog: 'is stopped, and ends its work',
  leaseOver: lock => `lease of ${lock} has ended in Redis`, lostLog: (lock, why) => `lost ${lock}: ${EN.reasons[why] ?? why}`, riskLog: lock => `could not renew ${lock}`, recovered: lock => `renewed ${lock} again`,
  TIMEOUT: lock => `a caller was refused: ${lock} is taken`, INTERRUPTED: lock => `a caller stopped waiting for ${lock}`, ERROR: lock => `a caller was refused: Redis did not answer for ${lock}`, said: text => text,
  writeRefused: 'the database refused a late write', frozenLog: 'Redis does not answer', thawed: 'Redis answers again',
  reasons: { EXPIRED: 'the lease has ended', TAKEN_OVER: 'another owner has it', DELETED: 'it was deleted', REVOKED: 'it was released by force', MAX_HOLD: 'held for too long', OWNER_DIED: 'its thread has died' },
  sending: 'Waiting for the answer …', bought: t => `Ticket ${t.number} sold`, visited: e => `${e.left} seats are left`, reported: r => `Report is written: ${r.sold - r.soldAtStart} sold meanwhile`, forced: r => r.released ? 'The lock was taken from its owner' : 'The lock was free',
  crowdDone: counts => counts.map(([status, n]) => `${n} ${({ 201: 'got a ticket', 409: 'found it sold out', 503: 'were asked to try again', 0: 'got no answer' })[status] ?? 'got status ' + status}`).join(', '),
  failed: (status, detail) => `${status}: ${detail}`, accepted: 'Accepted', noAnswer: 'No answer',
};

const ZH = {
  title: '锁在谁手里？',
  intro: '同一个服务的多个实例在卖同一场演出的票，任一时刻只允许一个实例卖票。',
  hold: '暂停画面', goOn: '继续', language: 'English',
  steps: ['启动两个实例', '在一个实例上点“慢速卖票”', '在另一个实例上点“买 1 张”', '暂停第一个实例', '租约到期，另一个实例开始卖票', '它的过期写入被拒绝'],
  buy: '买 1 张', crowd: '20 人抢票', slow: '慢速卖票 10 秒', visit: '浏览 3 秒', report: '生成报表 20 秒', force: '强制释放', pause: '暂停 10 秒', kill: 'kill -9',
  freeze: '冻结 Redis 10 秒',
  on: (action, port) => `${action}，实例 ${port}`, lane: port => `实例 ${port}`,
  ok: '运行中', silent: '没有响应', gone: '已宕机', stopped: '已停止', stopping: '正在停止', connecting: '连接中',
  legend: '图例', legendHeld: '持有锁', legendShared: '共享：读锁、许可', legendWaits: '等锁', legendLeft: '持有者已宕机，锁尚未过期', legendLost: '锁已丢失，仍在执行', legendLease: '锁的过期时间（租约）', legendRenewed: '看门狗续期', legendRefused: '写入被拒绝',
  axis: n => `${n} 秒`, axisNow: '现在', free: '未持有',
  held: h => `持有 · ${h.left}后过期`,
  risk: h => `续期失败 · ${h.left}后过期`,
  shared: (n, h, permit) => `${n} 个${permit ? '许可' : '读锁'} · ${h.left}后过期`,
  unheard: h => `在 Redis 中仍持有 · ${h.left}后过期`,
  left: h => `持有者已宕机 · 锁在 Redis 中 ${h.left}后过期`,
  lost: (why, paused) => `已丢失：${why} · ${paused ? '但它自己还不知道' : '但代码仍在执行'}`,
  waits: (n, holder) => `${n} 个线程在等锁${holder ? '，持有者 ' + holder : ''}`,
  second: '再启动一个实例，就能看到多个实例抢锁。在另一个终端中执行：', again: port => `实例 ${port} 没有运行，重新启动它：`,
  nobody: '现在没有实例在卖票。', sells: port => `:${port} 正在卖票。`, ending: port => `:${port} 正在停止，停止之前会完成这次卖票。`, looks: ports => `${ports} 上有人在浏览演出。`, waiting: ports => `${ports} 正在等锁。`,
  asleep: port => `:${port} 已暂停，租约到期之前仍持有锁。`,
  unaware: port => `:${port} 已暂停，锁已丢失，但它自己还不知道。`, late: port => `:${port} 的锁已丢失，但仍在执行。`,
  dead: port => `:${port} 已宕机，租约到期之前，锁仍留在 Redis 中。`,
  frozenNow: 'Redis 没有响应：租约无法续期，其他实例也拿不到锁。',
  answers: '正常。保存每把锁的持有者、过期时间和等待队列。', frozen: s => `已有 ${s}没有响应。`,
  database: '数据库', sold: (sold, seats) => `共 ${seats} 座，已售 ${sold} 张。每次写入的令牌都必须大于之前的令牌。`, noDatabase: '没有响应。',
  seat: n => `${n} 号 `, refused: '已拒绝 ', seconds: n => `${n} 秒`,
  log: '事件', started: '已上线', back: '恢复响应', silentLog: '停止响应', goneLog: '已宕机', stoppedLog: '开始正常停止',
  leaseOver: lock => `${lock} 在 Redis 中已过期`, lostLog: (lock, why) => `锁 ${lock} 已丢失：${ZH.reasons[why] ?? why}`, riskLog: lock => `${lock} 续期失败`, recovered: lock => `${lock} 恢复续期`,
  TIMEOUT: lock => `请求被拒绝：没有等到锁 ${lock}`, INTERRUPTED: lock => `请求不再等待锁 ${lock}`, ERROR: lock => `请求被拒绝：Redis 没有响应，无法获取锁 ${lock}`, said: text => text,
  writeRefused: '过期写入被数据库拒绝', frozenLog: 'Redis 没有响应', thawed: 'Redis 恢复响应',
  reasons: { EXPIRED: '租约到期', TAKEN_OVER: '锁已被其他实例拿到', DELETED: '锁被删除', REVOKED: '被强制释放', MAX_HOLD: '超过最长持有时间', OWNER_DIED: '持有线程已终止' },
  sending: '等待响应……', bought: t => `已售出 ${t.number} 号票`, visited: e => `剩余 ${e.left} 个座位`, reported: r => `报表已生成，期间售出 ${r.sold - r.soldAtStart} 张`, forced: r => r.released ? '已强制释放' : '锁本来就没有被持有',
  crowdDone: counts => counts.map(([status, n]) => `${n} 人${({ 201: '买到票', 409: '没买到（已售罄）', 503: '需要重试', 0: '无响应' })[status] ?? '收到状态码 ' + status}`).join('，'),
  failed: (status, detail) => `${status}：${({ 409: '票已售罄', 423: '另一份报表正在生成', 503: '未完成，请稍后重试' })[status] ?? detail}`, accepted: '已受理', noAnswer: '没有响应',
};

const chosen = new URLSearchParams(location.search).get('lang') ?? navigator.language;
const chinese = chosen.startsWith('zh');
const T = chinese ? ZH : EN;
document.documentElement.lang = chinese ? 'zh-CN' : 'en';
document.title = T.title;
document.querySelectorAll('[data-t]').forEach(element => { element.textContent = T[element.dataset.t]; });
document.querySelectorAll('[data-a]').forEach(element => element.setAttribute('aria-label', T[element.dataset.a]));
const $ = selector => document.querySelector(selector);

const opened = Date.now();
const instances = new Map(); // by port
const redis = { at: opened, silentSince: null, freezes: [] };
const database = { at: 0 };
const refusals = []; // { token, after: number of the ticket that was the last one }
const entries = []; // of what happened, the latest first: { at, last, same, port, key, args, bad, times }
let step = 0;
let first = null; // the slow sale that the steps are about: { instance, hold }
let held = null; // time at which the picture is held

// ---------------------------------------------------------------- formats

const millis = text => {
  const [, hours = 0, minutes = 0, seconds = 0] = /PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?/.exec(text);
  return ((hours * 60 + +minutes) * 60 + +seconds) * 1000;
};
const seconds = ms => T.seconds((Math.max(0, ms) / 1000).toFixed(1));
/** The last of 16 digits: tokens count microseconds, so that ten digits repeat after three hours. */
const short = (token, digits = 10) => '…' + String(token).slice(-digits).replace(/\B(?=(\d{3})+$)/g, '\u202f');
const ports = list => list.map(instance => ':' + instance.port).join(', ');
const shared = mode => mode !== 'WRITE';

// ---------------------------------------------------------------- what happens

function addInstance(port, pid, seen = Date.now()) {
  if (!port || instances.has(port)) {
    return;
  }
  const instance = {
    port, pid, state: 'connecting', seen,
    newsAt: 0, // time of the last news
    holds: [], // { lock, mode, token, pid, start, until, end, lost, why, death, risk, slot }
    waits: [], // { lock, start, end }: those that are over
    waiting: new Map(), // by lock: { start, count }
    marks: [], // { lock, at, kind }
    silences: [], // { start, end, state }
  };
  instances.set(port, instance);
  instance.element = createLane(instance);
  const source = new EventSource(`http://${location.hostname}:${port}/live/stream`);
  source.onerror = () => setTimeout(() => disconnected(instance)); // a page that is left has errors as well, and runs no timers any more
  source.addEventListener('stopped', () => { instance.stopping = true; });
  source.addEventListener('state', message => readState(instance, JSON.parse(message.data)));
  source.addEventListener('news', message => readNews(instance, JSON.parse(message.data)));
  source.addEventListener('redis', message => readRedis(instance, JSON.parse(message.data)));
  source.addEventListener('database', message => readDatabase(JSON.parse(message.data)));
}

function changeState(instance, state, at) {
  const before = instance.state;
  if (before === state) {
    return;
  }
  instance.state = state;
  if (state === 'ok') {
    const silence = instance.silences.at(-1);
    if (silence && !silence.end) {
      silence.end = at;
      log(at, silence.state === 'silent' ? 'back' : 'started', [], instance);
    } else if (at - opened > 3_000) {
      log(at, 'started', [], instance);
    }
  } else if (before !== 'gone' && before !== 'stopped') {
    const silence = instance.silences.at(-1);
    if (silence && !silence.end) {
      silence.end = at; // it was alive until now
      instance.silences.push({ start: at, state });
    } else {
      instance.silences.push({ start: state === 'silent' || before === 'connecting' ? instance.seen : at, state });
    }
    log(at, state + 'Log', [], instance, state !== 'stopped');
  }
  if (isOver(instance)) {
    instance.waiting.forEach((wait, lock) => instance.waits.push({ lock, start: wait.start, end: at }));
    instance.waiting.clear();
    instance.holds.filter(hold => !hold.end && hold.lost).forEach(hold => { hold.end = at; });
  }
  if (state === 'gone') {
    instance.holds.filter(hold => !hold.end).forEach(hold => { hold.death = at; });
  }
}

function disconnected(instance) {
  if (!isOver(instance)) {
    changeState(instance, instance.stopping ? 'stopped' : 'gone', Date.now());
  }
  instance.stopping = false;
}

/** A stopped instance still ends its work, under its locks. */
const isOver = instance => instance.state === 'gone' || instance.state === 'stopped';
/** The hold of a process from which no news come: Redis knows what becomes of it. */
const isUnheard = (instance, hold) => instance.state !== 'ok' || hold.death;
const open = (instance, lock) => instance.holds.filter(hold => hold.lock === lock && !hold.end);
const sameGrant = (hold, lock, mode, token) => hold.lock === lock && hold.mode === mode && hold.token === token;

function begin(instance, lock, mode, token, start, until) {
  const slots = open(instance, lock).map(hold => hold.slot);
  const slot = [0, 1, 2, 3].find(candidate => !slots.includes(candidate)) ?? slots.length % 4;
  const hold = { lock, mode, token, pid: instance.pid, start, until, slot, unseen: 0 };
  instance.holds.push(hold);
  return hold;
}

function readState(instance, state) {
  if (instance.pid !== state.pid) { // this page's own, or another process at the same port
    instance.holds.filter(hold => !hold.pid).forEach(hold => { hold.pid = state.pid; });
    instance.holds.filter(hold => hold.pid !== state.pid).forEach(hold => { hold.death ??= state.at; });
    instance.pid = state.pid;
  }
  instance.seen = Date.now();
  changeState(instance, 'ok', state.at);
  const unseen = instance.holds.filter(hold => !hold.end && !hold.lost && hold.pid === state.pid);
  for (const entry of state.held.filter(entry => LOCKS.includes(entry.name))) {
    const heldFor = millis(entry.heldFor);
    // readers of one instance can share a token, so that each entry takes one bar
    const index = unseen.findIndex(hold => sameGrant(hold, entry.name, entry.mode, entry.fencingToken));
    let [hold] = index < 0 ? [] : unseen.splice(index, 1);
    const ended = instance.holds.some(other => sameGrant(other, entry.name, entry.mode, entry.fencingToken) && (other.end > state.at - 1_000 || other.lost));
    if (!hold && heldFor > 700 && !ended) {
      hold = begin(instance, entry.name, entry.mode, entry.fencingToken, state.at - heldFor);
    }
    if (hold) {
      hold.unseen = 0;
      hold.until = state.at + millis(entry.remaining);
      hold.risk = entry.state === 'AT_RISK';
    }
  }
  for (const hold of unseen) {
    hold.unseen += hold.start < state.at - 100 ? 1 : 0;
    if (hold.unseen > 2) { // its news are missing
      hold.end = state.at;
    }
  }
  instance.waiting = new Map(state.awaited.map(entry => [entry.name, { start: state.at - millis(entry.longest), count: entry.waiters }]));
}

function readNews(instance, news) {
  if (!LOCKS.includes(news.lock) || news.at <= instance.newsAt) { // news are repeated to a stream that begins
    return;
  }
  const { type, lock, mode, token, at } = news;
  instance.newsAt = at;
  instance.seen = Math.max(instance.seen, at);
  const hold = instance.holds.find(candidate => !candidate.end && sameGrant(candidate, lock, mode, token));
  if (news.waited && millis(news.waited) > 40) {
    instance.waits.push({ lock, start: at - millis(news.waited), end: at });
  }
  switch (type) {
    case 'acquired': begin(instance, lock, mode, token, at); break;
    case 'released': if (hold) { hold.end = at; } break;
    case 'renewed': instance.marks.push({ lock, at, kind: 'tick' }); break;
    case 'renewal-failed': instance.marks.push({ lock, at, kind: 'missed' }); break;
    case 'at-risk': log(at, 'riskLog', [lock], instance, true); break;
    case 'recovered': log(at, 'recovered', [lock], instance); break;
    case 'refused': log(at, news.detail, [lock], instance, news.detail === 'ERROR'); break;
    case 'lost':
      if (hold) {
        hold.lost ??= Math.min(hold.until ?? at, at);
        hold.why = news.detail;
      }
      log(at, 'lostLog', [lock, news.detail], instance, true);
      break;
    case 'write-refused':
      instance.marks.push({ lock, at, kind: 'cross' });
      refusals.push({ token, after: database.tickets?.[0]?.number ?? 0 });
      log(at, 'writeRefused', [], instance, true);
      if (first?.hold.token === token) {
        step = T.steps.length;
      }
      break;
  }
}

/** Redis knows how long the locks of a paused or dead instance last. */
function readRedis(reader, state) {
  if (!state.locks) {
    return;
  }
  redis.at = Math.max(redis.at, state.at);
  for (const [name, stored] of Object.entries(state.locks)) {
    const owners = !stored ? [] : stored.holders.length ? stored.holders : [stored];
    for (const instance of instances.values()) {
      const holds = open(instance, name).filter(hold => !hold.lost && isUnheard(instance, hold));
      const left = [...owners];
      for (const hold of holds) {
        const index = left.findIndex(owner => owner.holder?.pid === hold.pid);
        if (index >= 0) {
          hold.until = endOf(left.splice(index, 1)[0], stored, state.at);
        } else if (hold.start < state.at - 100) {
          leaseEnded(instance, hold, state.at);
        }
      }
      if (instance.state !== 'ok' && instance !== reader && !open(instance, name).length) { // from before this page
        left.filter(owner => owner.holder?.pid === instance.pid).forEach(owner => {
          const start = owner.since ? Date.parse(owner.since) : state.at;
          const hold = begin(instance, name, stored.mode ?? 'WRITE', owner.fencingToken, start, endOf(owner, stored, state.at));
          hold.death = instance.state === 'gone' ? instance.silences.at(-1)?.start ?? start : undefined;
        });
      }
    }
  }
}

const endOf = (owner, stored, at) => at + millis(owner.remaining ?? stored.remaining);

/** A paused owner can work on when it wakes up. The lock of a stopped one has been released. */
function leaseEnded(instance, hold, at) {
  const end = Math.min(hold.until ?? at, at);
  if (instance.state === 'silent' && !hold.death) {
    hold.lost = end;
  } else {
    hold.end = hold.death ? end : at;
  }
  if (instance.state !== 'stopped') {
    log(at, 'leaseOver', [hold.lock], instance, true);
  }
}

function readDatabase(state) {
  if (!state.instances) {
    return;
  }
  Object.assign(database, state);
  state.instances.filter(other => other.silentFor < 30_000).forEach(other => addInstance(other.port, other.pid, state.at - other.silentFor));
}

/** Adds an entry, whose text is made when it is shown, because the language can change. */
function log(at, key, args, instance, bad = false) {
  const same = JSON.stringify([instance?.port, key, args]);
  const entry = entries.find(other => other.same === same && Math.abs(at - other.last) < REPEATED_MILLIS);
  if (entry) {
    entry.times++;
    entry.last = Math.max(entry.last, at);
  } else {
    entries.push({ at, last: at, same, port: instance?.port, key, args, bad, times: 1 });
    entries.sort((one, other) => other.at - one.at);
    entries.splice(9);
  }
  showLog();
}

function showLog() {
  $('#log ol').replaceChildren(...entries.map(({ at, port, key, args, bad, times }) => {
    const item = document.createElement('li');
    const text = (port ? `:${port} ` : '') + (args.length ? T[key](...args) : T[key]) + (times > 1 ? ` (${times} ×)` : '');
    item.append(Object.assign(document.createElement('time'), { textContent: new Date(at).toLocaleTimeString('en-GB') }),
      Object.assign(document.createElement('span'), { textContent: text }));
    item.classList.toggle('bad', bad);
    return item;
  }));
}

// ---------------------------------------------------------------- a reload

function remember() {
  const lanes = [...instances.values()].map(({ element, waiting, ...lane }) => lane);
  const slow = first && { port: first.instance.port, index: first.instance.holds.indexOf(first.hold) };
  sessionStorage.setItem(MEMORY, JSON.stringify({ at: Date.now(), lanes, redis, refusals, entries, step, slow }));
}

function recall() {
  const now = Date.now();
  const story = JSON.parse(sessionStorage.getItem(MEMORY));
  if (!story) {
    return;
  }
  entries.push(...story.entries);
  refusals.push(...story.refusals);
  showLog();
  if (now - story.at > PAST) { // its picture has passed
    step = story.step === T.steps.length ? story.step : 0;
    return;
  }
  Object.assign(redis, story.redis, story.redis.silentSince ? {} : { at: now });
  for (const lane of story.lanes) {
    addInstance(lane.port, lane.pid);
    Object.assign(instances.get(lane.port), lane, ['ok', 'connecting'].includes(lane.state) ? { seen: now } : {});
  }
  step = story.step;
  const instance = instances.get(story.slow?.port);
  first = instance?.holds[story.slow.index] ? { instance, hold: instance.holds[story.slow.index] } : null;
  if (step > 1 && step < T.steps.length && !first) {
    step = 1;
  }
}

// ---------------------------------------------------------------- passing time

function tick() {
  const now = Date.now();
  for (const instance of instances.values()) {
    if (['ok', 'connecting'].includes(instance.state) && now - instance.seen > SILENT_AFTER) {
      changeState(instance, 'silent', now);
    }
    instance.holds
      .filter(hold => isUnheard(instance, hold) && !hold.end && !hold.lost && hold.until && hold.until < now - 300)
      .forEach(hold => leaseEnded(instance, hold, now));
    instance.holds = instance.holds.filter(hold => !hold.end || hold.end > now - PAST);
    instance.waits = instance.waits.filter(wait => wait.end > now - PAST);
    instance.marks = instance.marks.filter(mark => mark.at > now - PAST);
    instance.silences = instance.silences.filter(silence => !silence.end || silence.end > now - PAST);
  }
  redis.freezes = redis.freezes.filter(freeze => !freeze.end || freeze.end > now - PAST);
  watchRedis(now);
  advance(now);
  if (!held) {
    show(now);
    draw(now);
  }
}

const running = () => [...instances.values()].filter(instance => instance.state === 'ok');

function watchRedis(now) {
  const hasReader = running().length > 0;
  const silent = hasReader && now - redis.at > SILENT_AFTER;
  if (silent && !redis.silentSince) {
    redis.silentSince = redis.at;
    redis.freezes.push({ start: redis.at });
    log(now, 'frozenLog', [], null, true);
  } else if (!silent && redis.silentSince && hasReader) {
    redis.silentSince = null;
    redis.freezes.at(-1).end = now;
    log(now, 'thawed', [], null);
  }
}

/** The steps follow what happens, not which buttons are pressed. */
function advance(now) {
  const all = [...instances.values()];
  if (step === 0 && running().length > 1) {
    step = 1;
  }
  const slow = all.flatMap(instance => open(instance, SALE).map(hold => ({ instance, hold })))
    .find(({ hold }) => !shared(hold.mode) && hold !== first?.hold && now - hold.start > 900);
  if (slow && (step === 1 || step === T.steps.length)) {
    first = slow;
    step = 2;
  }
  if (step < 2 || step >= T.steps.length) {
    return;
  }
  const { instance, hold } = first;
  const others = all.filter(other => other !== instance);
  if (step === 2 && others.some(other => other.waiting.has(SALE))) {
    step = 3;
  }
  if (step === 3 && instance.state === 'silent') {
    step = 4;
  }
  if (step === 4 && others.some(other => other.holds.some(next => next.lock === SALE && next.start > hold.start))) {
    step = 5;
  }
  if (hold.end && now - hold.end > 1_500) { // it ended in another way
    step = 1;
    first = null;
  }
}

// ---------------------------------------------------------------- the text

const command = port => `./mvnw -q -pl lock-starter-sample -am spring-boot:run${port === 8080 ? '' : ` -Dspring-boot.run.arguments=--server.port=${port}`}`;

function show(now) {
  const all = [...instances.values()];
  [...$('#steps').children].forEach((item, index) => {
    item.classList.toggle('done', index < step);
    index === step ? item.setAttribute('aria-current', 'step') : item.removeAttribute('aria-current');
  });
  showNow(all);
  for (const instance of all) {
    const { element } = instance;
    element.dataset.state = instance.state;
    const isStopping = instance.state === 'stopped' && instance.holds.some(hold => !hold.end);
    setText(element.querySelector('h2 .state'), isStopping ? T.stopping : T[instance.state]);
    element.querySelectorAll('button').forEach(button => button.setAttribute('aria-disabled', isOver(instance)));
    LOCKS.forEach(lock => showRow(instance, lock, all, now));
  }
  $('#redis').dataset.state = redis.silentSince ? 'silent' : 'ok';
  $('#redis button').setAttribute('aria-disabled', Boolean(redis.silentSince));
  setText($('#redis .state'), redis.silentSince ? T.frozen(seconds(now - redis.silentSince)) : T.answers);
  const noDatabase = now - database.at > 3_000;
  $('#database').dataset.state = noDatabase ? 'silent' : 'ok';
  setText($('#database .state'), noDatabase ? T.noDatabase : T.sold(database.tickets?.[0]?.number ?? 0, SEATS));
  showTokens();
}

function showNow(all) {
  const sentences = [];
  if (redis.silentSince) {
    sentences.push(T.frozenNow);
  }
  const readers = [];
  for (const instance of all) {
    const holds = open(instance, SALE);
    if (!holds.length) {
      continue;
    }
    const lost = holds.every(hold => hold.lost);
    if (holds.every(hold => hold.death)) {
      sentences.push(T.dead(instance.port));
    } else if (instance.state === 'silent') {
      sentences.push((lost ? T.unaware : T.asleep)(instance.port));
    } else if (lost) {
      sentences.push(T.late(instance.port));
    } else if (shared(holds.at(-1).mode)) {
      readers.push(instance);
    } else {
      sentences.push((instance.state === 'stopped' ? T.ending : T.sells)(instance.port));
    }
  }
  if (readers.length) {
    sentences.push(T.looks(ports(readers)));
  }
  const waiting = all.filter(instance => instance.state === 'ok' && instance.waiting.has(SALE));
  if (waiting.length) {
    sentences.push(T.waiting(ports(waiting)));
  }
  setText($('#now'), (sentences.length ? sentences : [T.nobody]).join(chinese ? '' : ' ')); // a screen reader reads each change
  const gone = all.find(instance => isOver(instance) && !instance.holds.some(hold => !hold.end && !hold.death));
  setText($('#start span'), gone ? T.again(gone.port) : all.length === 1 ? T.second : '');
  setText($('#start code'), gone ? command(gone.port) : all.length === 1 ? command(Number(location.port) + 1) : '');
}

function showRow(instance, lock, all, now) {
  const row = instance.element.querySelector(`[data-lock="${lock}"]`);
  const holds = open(instance, lock);
  const current = holds.filter(hold => !hold.lost);
  const wait = instance.waiting.get(lock);
  let state = 'free';
  const parts = [];
  if (current.length) {
    const last = current.reduce((one, other) => (one.until ?? 0) > (other.until ?? 0) ? one : other);
    const words = { left: last.until ? seconds(last.until - now) : '…' };
    if (last.death) {
      state = 'left';
      parts.push(T.left(words));
    } else if (instance.state === 'silent') {
      state = 'risk';
      parts.push(T.unheard(words));
    } else if (last.risk) {
      state = 'risk';
      parts.push(T.risk(words));
    } else if (shared(last.mode)) {
      state = 'shared';
      parts.push(T.shared(current.length, words, last.mode === 'PERMIT'));
    } else {
      state = 'held';
      parts.push(T.held(words));
    }
  } else if (holds.length) {
    state = 'lost';
    parts.push(T.lost(T.reasons[holds[0].why] ?? T.reasons.EXPIRED, instance.state === 'silent'));
  }
  if (wait) {
    state = state === 'free' ? 'waits' : state;
    const owners = all.filter(other => other !== instance && open(other, lock).some(hold => !hold.lost));
    parts.push(T.waits(wait.count, ports(owners)));
  }
  row.dataset.state = state;
  setText(row.querySelector('.state'), parts.length ? parts.join(' · ') : T.free);
}

function showTokens() {
  const tickets = [...database.tickets ?? []].reverse();
  const oldest = tickets[0]?.number ?? 0;
  const chips = tickets.map(ticket => ({ order: ticket.number, token: ticket.token, text: T.seat(ticket.number) }));
  refusals.filter(refusal => refusal.after >= oldest).slice(-4)
    .forEach(refusal => chips.push({ order: refusal.after + .5, token: refusal.token, text: T.refused, refused: true }));
  chips.sort((one, other) => one.order - other.order);
  const list = $('#tokens');
  const key = chips.map(chip => chip.order + '/' + chip.token).join();
  if (list.dataset.key === key) {
    return;
  }
  list.dataset.key = key;
  const texts = chips.map(chip => String(chip.token));
  const equal = [...texts[0] ?? ''].findIndex((digit, index) => texts.some(text => text[index] !== digit));
  const digits = equal < 0 ? 10 : Math.max(10, texts[0].length - equal); // enough to compare them
  list.replaceChildren(...chips.map(chip => {
    const item = Object.assign(document.createElement('li'), { title: String(chip.token), textContent: chip.text });
    item.classList.toggle('refused', Boolean(chip.refused));
    item.append(Object.assign(document.createElement(chip.refused ? 's' : 'span'), { textContent: short(chip.token, digits) }));
    return item;
  }));
}

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// ---------------------------------------------------------------- the picture

const NS = 'http://www.w3.org/2000/svg';
const HEIGHT = 44;

function draw(now) {
  for (const instance of instances.values()) {
    LOCKS.forEach(lock => drawRow(instance, lock, now));
  }
}

function drawRow(instance, lock, now) {
  const svg = instance.element.querySelector(`[data-lock="${lock}"] svg`);
  const width = svg.clientWidth;
  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  const x = at => Math.max(0, Math.min(width, (at - now + PAST) / (PAST + FUTURE) * width));
  const parts = [];
  const rect = (className, from, to, y, height) => {
    if (to > now - PAST) {
      const left = x(from);
      parts.push(`<rect class="${className}" x="${left}" y="${y}" width="${Math.max(3, x(to) - left)}" height="${height}" rx="2"/>`);
    }
  };
  for (let at = now + 5_000; at > now - PAST; at -= 5_000) {
    parts.push(`<line class="grid" x1="${x(at)}" x2="${x(at)}" y1="0" y2="${HEIGHT}"/>`);
  }
  const silent = (from, to, text) => {
    rect('silent', from, to, 0, HEIGHT);
    if (lock === LOCKS.at(-1) && x(to) - x(from) > text.length * (chinese ? 12 : 6)) {
      parts.push(`<text class="note" x="${x(from) + 4}" y="${HEIGHT - 4}">${text}</text>`);
    }
  };
  redis.freezes.forEach(freeze => silent(freeze.start, freeze.end ?? now, T.frozenLog));
  for (const silence of instance.silences) {
    silent(silence.start, silence.end ?? now, T[silence.state]);
    if (silence.state === 'gone') {
      parts.push(`<path class="death" d="M${x(silence.start)} 0v${HEIGHT}"/>`);
    }
  }
  for (const hold of instance.holds.filter(candidate => candidate.lock === lock)) {
    const death = hold.death ?? Infinity;
    const end = hold.end ?? now;
    const [y, height] = shared(hold.mode) ? [8 + hold.slot * 5, 4] : [8, 19];
    const good = Math.min(end, hold.lost ?? end, death);
    rect(shared(hold.mode) ? 'shared' : 'held', hold.start, good, y, height);
    if (end > death) {
      rect('left', death, end, y, height);
    } else if (hold.lost && end > hold.lost) {
      rect('lost', hold.lost, end, y, height);
    }
    if (!hold.end && !hold.lost && hold.until > now) {
      rect(shared(hold.mode) ? 'lease shared' : 'lease held', now, hold.until, y, height);
    }
    if (!shared(hold.mode) && x(good) - x(hold.start) > 92) {
      parts.push(`<text class="token" x="${x(hold.start) + 6}" y="22">${short(hold.token)}</text>`);
    }
  }
  for (const wait of instance.waits.filter(candidate => candidate.lock === lock)) {
    rect('waits', wait.start, wait.end, 31, 10);
  }
  const waiting = instance.waiting.get(lock);
  if (waiting) {
    rect('waits', waiting.start, instance.state === 'ok' ? now : instance.seen, 31, 10);
  }
  for (const mark of instance.marks.filter(candidate => candidate.lock === lock && candidate.at > now - PAST)) {
    const at = x(mark.at);
    parts.push({
      tick: `<path class="tick" d="M${at - 4} 1h8l-4 6z"/>`,
      missed: `<path class="missed" d="M${at - 4} 1h8l-4 6z"/>`,
      cross: `<path class="cross" d="M${at - 7} 28l14 14m0-14l-14 14"/>`,
    }[mark.kind]);
  }
  parts.push(`<path class="now" d="M${x(now)} 0v${HEIGHT}"/>`);
  svg.innerHTML = parts.join(''); // numbers and texts of this file only
}

// ---------------------------------------------------------------- buttons

const ACTIONS = {
  buy: { path: `/api/events/${EVENT}/tickets`, done: T.bought },
  crowd: { path: '/live/buyers?count=20', done: counts => T.crowdDone(Object.entries(counts)) },
  slow: { path: `/api/events/${EVENT}/slow-tickets?seconds=10`, done: T.bought },
  visit: { path: `/api/events/${EVENT}?seconds=3`, method: 'GET', done: T.visited },
  report: { path: `/api/events/${EVENT}/report?seconds=20`, done: T.reported },
  force: { path: '/live/force', done: T.forced, trouble: true },
  pause: { path: '/live/pause?seconds=10', trouble: true },
  kill: { path: '/live/kill', trouble: true },
};

/** A browser has at most six connections to a host: faults use the other name of this machine, so that they need not wait. */
async function send(port, path, { method = 'POST', trouble = false } = {}) {
  const host = trouble ? (location.hostname === 'localhost' ? '127.0.0.1' : 'localhost') : location.hostname;
  // with a cache, a browser sends the second of two equal requests after the first one
  const response = await fetch(`http://${host}:${port}${path}`, { method, cache: 'no-store', headers: { 'X-Live-Page': 'yes' } });
  const text = await response.text();
  const body = text ? JSON.parse(text) : {};
  if (!response.ok) {
    throw new Error(T.failed(response.status, (body.detail ?? '').replace(/\d{16}/g, token => short(token))));
  }
  return body;
}

async function act(instance, name) {
  const action = ACTIONS[name];
  const answer = instance.element.querySelector('.answer');
  if (isOver(instance)) {
    return;
  }
  answer.textContent = T.sending;
  try {
    const body = await send(instance.port, action.path, action);
    answer.textContent = action.done ? action.done(body) : T.accepted;
  } catch (error) {
    answer.textContent = error instanceof TypeError ? T.noAnswer : error.message;
  }
  answer.title = answer.textContent;
}

function createLane(instance) {
  const { port } = instance;
  const lane = document.createElement('section');
  lane.className = 'lane';
  lane.dataset.port = port;
  lane.setAttribute('aria-label', T.lane(port));
  const heading = document.createElement('h2');
  heading.append(document.createElement('i'), `:${port}`, Object.assign(document.createElement('span'), { className: 'state' }));
  const buttons = Object.assign(document.createElement('div'), { className: 'buttons' });
  for (const [name, action] of Object.entries(ACTIONS)) {
    const button = Object.assign(document.createElement('button'), { textContent: T[name], className: action.trouble ? 'trouble' : '' });
    button.dataset.action = name;
    button.setAttribute('aria-label', T.on(T[name], port));
    button.onclick = () => act(instance, name);
    buttons.append(button);
  }
  const controls = Object.assign(document.createElement('div'), { className: 'controls' });
  controls.append(heading, buttons, Object.assign(document.createElement('p'), { className: 'answer', role: 'status' }));
  const rows = document.createElement('div');
  for (const lock of LOCKS) {
    const row = Object.assign(document.createElement('div'), { className: 'row' });
    row.dataset.lock = lock;
    const label = Object.assign(document.createElement('p'), { className: 'label' });
    label.append(Object.assign(document.createElement('span'), { className: 'name', textContent: lock }), Object.assign(document.createElement('span'), { className: 'state' }));
    const svg = document.createElementNS(NS, 'svg');
    svg.setAttribute('aria-hidden', 'true'); // the label says the same
    svg.setAttribute('preserveAspectRatio', 'none');
    row.append(label, svg);
    rows.append(row);
  }
  lane.append(controls, rows);
  const next = [...$('#lanes').children].find(other => Number(other.dataset.port) > port);
  $('#lanes').insertBefore(lane, next ?? null);
  return lane;
}

[-20, -15, -10, -5, 0, 5].forEach(second => {
  const label = Object.assign(document.createElement('span'), { textContent: second ? T.axis((second < 0 ? '−' : '+') + Math.abs(second)) : T.axisNow });
  label.style.left = `${(second * 1_000 + PAST) / (PAST + FUTURE) * 100}%`;
  $('#axis').append(label);
});
T.steps.forEach(text => $('#steps').append(Object.assign(document.createElement('li'), { textContent: text })));
$('#hold').onclick = () => {
  held = held ? null : Date.now();
  setText($('#hold'), held ? T.goOn : T.hold);
};
window.addEventListener('resize', () => draw(held ?? Date.now()));
$('#language').onclick = () => {
  location.href = `http://${location.hostname}:${running()[0]?.port ?? location.port}/?lang=${chinese ? 'en' : 'zh'}`;
};
$('#redis button').onclick = () => {
  const reader = running()[0];
  if (reader && !redis.silentSince) {
    send(reader.port, `/live/freeze?seconds=${FREEZE_SECONDS}`, { trouble: true }).catch(error => log(Date.now(), 'said', [error.message], reader, true));
  }
};

document.body.insertAdjacentHTML('afterbegin', `<svg class="patterns" aria-hidden="true"><defs>
  <pattern id="waits" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="3" height="6" style="fill:var(--waits)"/></pattern>
  <pattern id="left-by-owner" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="3" height="6" style="fill:var(--held)"/></pattern>
</defs></svg>`);

window.addEventListener('pagehide', remember);
setInterval(remember, 1000); // the next page may be loaded before the browser has stored what is written at the end
recall();
addInstance(Number(location.port));
send(location.port, `/api/events/${EVENT}?seats=${SEATS}`).catch(error => log(Date.now(), 'said', [error.message], null, true));
tick();
setInterval(tick, 100);
